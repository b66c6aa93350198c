/** The sender of messages, loaded lazily: most services have no webhooks. */
import type { Sender, SenderOptions } from './webhook-sender.ts'

/** Creates a sender whose module is loaded with its first message. */
export function createLazySender(options: SenderOptions): Sender {
  let sender: Promise<Sender> | undefined
  return {
    send: async (message, signal) => {
      sender ??= import('./webhook-sender.ts').then(({ createSender }) => createSender(options))
      return (await sender).send(message, signal)
    },
    close: () => {
      sender?.then(({ close }) => close())
    },
  }
}
