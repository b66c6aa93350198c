/** One webhook: its URL and kinds, its state, and its actions. */
import type { Webhook } from '../common/api.ts'
import { ago } from '../common/dates.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { texts } from '../texts.ts'

const words = texts.people

/** The dialogs that it can open. */
export type WebhookAction = 'change' | 'deliveries' | 'rotate' | 'delete' | 'test' | 'toggle'

interface Props {
  webhook: Webhook
  /** The name of its project; undefined for all projects. */
  project: string | undefined
  onDo: (action: WebhookAction) => void
}

/** Its state. The service pauses a webhook that has failed for too long. */
function State({ webhook: { active, failingSince } }: { webhook: Webhook }) {
  const isFailing = failingSince !== null
  return (
    <>
      {!active && <span class="muted">{words.inactive}</span>}
      {active && !isFailing && (
        <span class="good">
          <Icon name="check" /> {words.active}
        </span>
      )}
      {isFailing && (
        <span class="danger">
          <Icon name="warning" /> {words.failing(ago(failingSince))}
        </span>
      )}
    </>
  )
}

export function WebhookCard({ webhook, project, onDo }: Props) {
  const { url, description, kinds, format, active } = webhook
  const isChat = format !== 'standard'
  const names = kinds.map((kind) => (words.kinds as Record<string, string>)[kind] ?? kind)
  return (
    <li class="panel stack">
      <div class="spread">
        <h2 dir="auto">{url}</h2>
        <Menu
          label={texts.actions(url)}
          items={[
            { label: texts.change, run: () => onDo('change') },
            { label: words.sendTest, run: () => onDo('test') },
            { label: words.deliveries, run: () => onDo('deliveries') },
            { label: active ? words.pause : words.resume, run: () => onDo('toggle') },
            { label: words.rotate, run: () => onDo('rotate') },
            { label: texts.delete, run: () => onDo('delete'), isDanger: true },
          ]}
        >
          <Icon name="more" />
        </Menu>
      </div>
      {description && <p dir="auto">{description}</p>}
      <p class="row">
        <State webhook={webhook} />
        <span class="meta" dir="auto">
          {project ?? texts.allProjects}
        </span>
        <span class="meta">{isChat ? format : names.length === 0 ? words.allKinds : names.join(', ')}</span>
      </p>
    </li>
  )
}
