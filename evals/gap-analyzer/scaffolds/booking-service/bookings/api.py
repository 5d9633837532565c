"""HTTP routes."""

from fastapi import Depends, FastAPI, HTTPException

from bookings import mail, models
from bookings.auth import User, current_user

app = FastAPI()


@app.post("/bookings", status_code=201)
def create(request: models.BookingRequest, user: User = Depends(current_user)):
    if models.overlapping(request.room, request.start, request.end):
        raise HTTPException(409, "the room is taken")
    booking = models.add(user, request)
    mail.confirmation(booking)
    return booking


@app.delete("/bookings/{booking_id}", status_code=204)
def cancel(booking_id: int, user: User = Depends(current_user)):
    booking = models.get(booking_id)
    if booking.member != user.id and not user.admin:
        raise HTTPException(403, "not your booking")
    models.delete(booking)


@app.get("/rooms")
def rooms():
    return models.rooms()


@app.get("/health")
def health():
    return {"ok": True}


@app.post("/waiting-list")
def join_waiting_list(request: models.BookingRequest, user: User = Depends(current_user)):
    raise NotImplementedError
