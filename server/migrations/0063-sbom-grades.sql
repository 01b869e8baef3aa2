-- How the document was graded by the profiles of SBOMs when it was read last; null: it was not read since grades are kept.
alter table sboms add column grades jsonb;
alter table replaced_sboms add column grades jsonb;
