"""Claims to payers, invoices to patients for what is left."""


def claim(db, encounter, payer, amount):
    return db.insert("claims", encounter_id=encounter.id, payer=payer, amount=amount, status="draft")


def answer(db, claim, paid):
    status = "paid" if paid >= claim.amount else "denied"
    db.run("UPDATE claims SET status = %s WHERE id = %s", status, claim.id)
    if paid < claim.amount:
        mrn = db.value("SELECT mrn FROM patients JOIN visits ... WHERE encounter = %s", claim.encounter_id)
        db.insert("invoices", patient_no=mrn, claim_id=claim.id, total=claim.amount - paid)


def is_final(claim):
    return claim.status in ("paid", "void") or (claim.status == "denied" and claim.appeals >= 2)
