const START = 22;
const END = 7;

export function inQuietHours(to: string, now = new Date()): boolean {
  const hour = localHour(to, now);
  return hour >= START || hour < END;
}

export function nextMorning(to: string, now = new Date()): number {
  const hours = (END - localHour(to, now) + 24) % 24;
  return now.getTime() + hours * 3_600_000;
}

function localHour(_to: string, now: Date): number {
  return now.getUTCHours();
}
