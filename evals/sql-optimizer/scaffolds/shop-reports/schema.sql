CREATE TABLE customers (
  id         bigint PRIMARY KEY,
  email      text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE orders (
  id          bigint PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers (id),
  status      text NOT NULL,
  ordered_at  timestamptz NOT NULL
);
CREATE INDEX orders_status ON orders (status);

CREATE TABLE order_items (
  order_id bigint NOT NULL REFERENCES orders (id),
  sku      text NOT NULL,
  quantity integer NOT NULL,
  price    numeric(10, 2) NOT NULL
);
