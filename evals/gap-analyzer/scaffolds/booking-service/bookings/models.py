"""What is stored."""

from datetime import datetime, timedelta

from pydantic import BaseModel

from bookings import db

MAX_FUTURE = 3


class BookingRequest(BaseModel):
    room: str
    start: datetime
    end: datetime


def overlapping(room, start, end):
    return db.one("SELECT 1 FROM bookings WHERE room = ? AND start < ? AND ? < end", room, end, start)


def add(user, request):
    if request.end - request.start < timedelta(minutes=30):
        raise ValueError("at least 30 minutes")
    return db.insert("bookings", member=user.id, name=user.name, mail=user.mail, **request.dict())


def get(booking_id):
    return db.one("SELECT * FROM bookings WHERE id = ?", booking_id)


def delete(booking):
    db.run("DELETE FROM bookings WHERE id = ?", booking.id)


def rooms():
    return db.all("SELECT * FROM rooms ORDER BY name")
