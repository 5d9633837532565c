import assert from "node:assert";
import { test } from "node:test";
import { inQuietHours } from "../src/quiet.js";

test("three in the morning is quiet", () => {
  assert.equal(inQuietHours("x", new Date("2025-03-01T03:00:00Z")), true);
});
