"""Mails to members."""

from bookings import smtp


def confirmation(booking):
    smtp.send(booking.mail, "Your booking", f"{booking.room}, {booking.start:%d %b %H:%M}")


def reminder(booking):
    smtp.send(booking.mail, "Tomorrow", f"{booking.room}, {booking.start:%H:%M}")
