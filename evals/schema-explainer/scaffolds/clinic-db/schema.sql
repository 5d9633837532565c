CREATE TABLE patients (
  id bigserial PRIMARY KEY, mrn text UNIQUE, family_name text, given_name text, born date,
  merged_into bigint REFERENCES patients (id), deleted_at timestamptz
);
CREATE TABLE staff (id bigserial PRIMARY KEY, name text, role char(1) NOT NULL);
CREATE TABLE visits (
  id bigserial PRIMARY KEY, patient_id bigint NOT NULL REFERENCES patients (id),
  when_at timestamp NOT NULL, room text, booked_by bigint REFERENCES staff (id), no_show boolean
);
CREATE TABLE encounters (
  id bigserial PRIMARY KEY, visit_id bigint UNIQUE, staff_id bigint REFERENCES staff (id),
  state smallint NOT NULL DEFAULT 0, closed_at timestamptz
);
CREATE TABLE enc_codes (encounter_id bigint REFERENCES encounters (id), code text, kind char(1));
CREATE TABLE claims (
  id bigserial PRIMARY KEY, encounter_id bigint NOT NULL REFERENCES encounters (id), payer text,
  amount float, status text CHECK (status IN ('draft', 'sent', 'paid', 'denied', 'void'))
);
CREATE TABLE invoices (id bigserial PRIMARY KEY, patient_no text, claim_id bigint, total numeric, paid_on date);
CREATE TABLE stg_hl7_in (id bigserial, raw text, seen boolean DEFAULT false, created timestamp);
