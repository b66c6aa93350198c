/** Webhooks: the request for one, and texts for its deliveries. */

import type { CreateWebhook, WebhookDelivery } from '../common/api.ts'
import { textIn } from '../common/forms.ts'

type Written = Required<CreateWebhook>
type Kind = NonNullable<CreateWebhook['kinds']>[number]

/** What a chat may be told of. */
export const CHAT_EVENTS = ['created', 'moved', 'finished', 'assigned', 'commented', 'due'] as const

/** The webhook from the values of a form. @param offered the kinds that the form offers; other kinds are left out */
export function webhookOf(
  fields: Pick<FormData, 'get' | 'getAll'>,
  offered: Readonly<Record<Kind, string>>,
): Written {
  const named = fields.getAll('kinds').map(String)
  return {
    url: textIn(fields, 'url').trim(),
    description: textIn(fields, 'description'),
    projectId: textIn(fields, 'projectId') || null,
    kinds: (Object.keys(offered) as Kind[]).filter((kind) => named.includes(kind)),
    format: (textIn(fields, 'format') || 'standard') as Written['format'],
    events: CHAT_EVENTS.filter((event) => fields.getAll('events').includes(event)),
    language: (textIn(fields, 'language') || 'en') as Written['language'],
    active: fields.get('active') !== null,
  }
}

/** Whether the receiver accepted a delivery. */
export const wasTaken = ({ status }: Pick<WebhookDelivery, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300
