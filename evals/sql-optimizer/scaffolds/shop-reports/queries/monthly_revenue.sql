SELECT to_char(o.ordered_at, 'YYYY-MM') AS month, SUM(i.quantity * i.price) AS revenue
FROM orders o
JOIN order_items i ON i.order_id = o.id
WHERE to_char(o.ordered_at, 'YYYY') = '2025' AND o.status NOT IN ('cancelled', 'draft')
GROUP BY 1
ORDER BY 1;
