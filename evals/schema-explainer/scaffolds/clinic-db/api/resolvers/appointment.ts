import type { Context } from "../context";

interface VisitRow {
  id: string;
  when_at: Date;
  no_show: boolean | null;
}

export const Appointment = {
  startsAt: (visit: VisitRow) => visit.when_at.toISOString(),
  noShow: (visit: VisitRow, _args: unknown, context: Context) =>
    context.loaders.visit.load(visit.id).then((row: VisitRow) => row.no_show),
};
