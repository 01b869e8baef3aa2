-- crates.io takes `-` and `_` for one and ignores case, and so do keys now. Records that are stored have the spelling of their package
-- until their feed is read again.
update advisory_affected
set key = 'purl:cargo/' || replace(lower(substr(key, 12)), '_', '-')
where key like 'purl:cargo/%'
  and key <> 'purl:cargo/' || replace(lower(substr(key, 12)), '_', '-');
