BEGIN;
ALTER TABLE orders ADD COLUMN channel text;
UPDATE orders SET channel = 'web';
ALTER TABLE orders ALTER COLUMN channel SET NOT NULL;
CREATE INDEX orders_channel ON orders (channel);
COMMIT;
