SELECT o.*, (SELECT email FROM customers c WHERE c.id = o.customer_id) AS email
FROM orders o
WHERE o.status = 'open' OR o.status = 'waiting'
ORDER BY o.ordered_at DESC
LIMIT 50 OFFSET 20000;
