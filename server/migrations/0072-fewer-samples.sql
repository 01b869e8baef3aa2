-- An analysis of a large table reads as many pages at random as its columns have statistics, whole records here. They are only
-- ever found by their key.
alter table advisory_records alter column source set statistics 10, alter column advisory_id set statistics 10;
