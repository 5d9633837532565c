-- the HL7 import runs in the integration engine since 2022
DELETE FROM jobs WHERE name = 'hl7_import';
