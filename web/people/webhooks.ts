/** Webhooks: what is sent for one, and what its deliveries say. */
import type { CreateWebhook, WebhookDelivery } from '../common/api.ts'

type Kind = NonNullable<CreateWebhook['kinds']>[number]

/** What a form says of a webhook. @param offered the kinds that it offers; what else it names is left out */
export function webhookOf(
  fields: Pick<FormData, 'get' | 'getAll'>,
  offered: Readonly<Record<Kind, string>>,
): Required<Omit<CreateWebhook, 'active'>> & { active: boolean } {
  const named = fields.getAll('kinds').map(String)
  return {
    url: String(fields.get('url') ?? '').trim(),
    description: String(fields.get('description') ?? ''),
    projectId: String(fields.get('projectId') ?? '') || null,
    kinds: (Object.keys(offered) as Kind[]).filter((kind) => named.includes(kind)),
    active: fields.get('active') !== null,
  }
}

/** Whether a receiver took a delivery. */
export const wasTaken = ({ status }: Pick<WebhookDelivery, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300
