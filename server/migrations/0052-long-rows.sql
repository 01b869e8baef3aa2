-- Most records have between 2 and 8 kB, and compressing them took a third of the time of writing them. Only longer ones are
-- compressed now.
alter table advisories set (toast_tuple_target = 8160);
