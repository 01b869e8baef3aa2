-- Of arrays [time, value] the one with the newest time, and of several the largest, as arrays compare element by element. Unlike
-- max() it has a type that is known, so that several nodes each take theirs and the newest of these is chosen (Citus).
create aggregate newest (float8[]) (
  sfunc = array_larger, stype = float8[], combinefunc = array_larger, parallel = safe
);
