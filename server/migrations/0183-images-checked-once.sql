-- With which keys and signatures a file was checked, as a digest (decision 137): a message that comes again has nothing left to do, and a file
-- of 4 GiB is not read again. Null: before this column, or what is kept is wrong.
alter table image_facts add column checked_with text;
