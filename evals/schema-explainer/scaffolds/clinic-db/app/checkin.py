"""Reception: patients arrive, are seen, leave."""

BOOKED, ARRIVED, WITH_DOCTOR, CLOSED = 0, 1, 2, 9


def arrive(db, visit_id, staff_id):
    return db.insert("encounters", visit_id=visit_id, staff_id=staff_id, state=ARRIVED)


def start(db, encounter_id):
    db.run("UPDATE encounters SET state = %s WHERE id = %s", WITH_DOCTOR, encounter_id)


def close(db, encounter_id):
    db.run("UPDATE encounters SET state = %s, closed_at = now() WHERE id = %s", CLOSED, encounter_id)


def missed(db, visit_id):
    db.run("UPDATE visits SET no_show = true WHERE id = %s", visit_id)
