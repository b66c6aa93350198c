-- The index of the sequence has kinds now: the service writes it anew, in slices.
DELETE FROM `change_subjects`;
