-- Which products records name by one name, and how many records name each: read from the index alone.
create index advisory_affected_products on advisory_affected (product_key, key) where product_key is not null;
drop index advisory_affected_product_key;

-- What the names of a package meant when it was last matched: it is matched whole when they mean other products.
alter table packages add column resolved jsonb not null default '[]';
