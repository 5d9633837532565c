import { Queue } from "bullmq";
import { inQuietHours, nextMorning } from "./quiet.js";

const queue = new Queue("notify");

export async function send(message: Message): Promise<string> {
  let delay = message.delay ?? 0;
  if (inQuietHours(message.to)) {
    delay = nextMorning(message.to) - Date.now();
  }
  const job = await queue.add("send", message, { delay, attempts: 3, removeOnFail: true });
  return job.id!;
}

export interface Message {
  to: string;
  template: string;
  delay?: number;
}
