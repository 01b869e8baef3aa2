-- Certificates with a negative serial number were kept without it, so that revoking it did not find them. They come again with it.
delete from device_keys where issuer_id is not null and serial = '' and revoked_at is null;
