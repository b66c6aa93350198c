/** The meetings of the project, and their action items. */
import { useRef, useState } from 'preact/hooks'
import type { TranscriptSummary } from '../common/api.ts'
import { fullDay } from '../common/dates.ts'
import { approve, toggleDismissed } from '../common/item-writes.ts'
import { MarkdownText } from '../common/markdown/markdown-text.tsx'
import { byId } from '../common/order.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { mayWriteIn } from '../common/rights.ts'
import { shownTitle } from '../common/titles.ts'
import { Icon } from '../common/ui/icon.tsx'
import { Menu } from '../common/ui/menu.tsx'
import { href, paths } from '../router.ts'
import { texts } from '../texts.ts'
import { Section } from './section.tsx'
import { TranscriptDialog } from './transcript-dialog.tsx'
import { removeTranscript } from './transcript-writes.ts'
import { type Action, actionsOf, byDate } from './transcripts.ts'

const words = texts.overview

/** The ids of cards by the transcript they came from. Subscribes to added and removed cards. */
function cardsBySource({ items }: ProjectStore): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const id of items.ids()) {
    const { source, sourceId = '' } = items.peek(id) ?? {}
    if (source === 'transcript') found.set(sourceId, [...(found.get(sourceId) ?? []), id])
  }
  return found
}

function ActionRow({ store, action: { text, cardId } }: { store: ProjectStore; action: Action }) {
  const link = useRef<HTMLAnchorElement>(null)
  const card = cardId === undefined ? undefined : store.items.get(cardId)
  if (!card) {
    return (
      <li class="action" dir="auto">
        {text}
      </li>
    )
  }
  const isUndecided = card.isNew && !card.dismissed
  const decide = (isApproved: boolean) => {
    // The focused button is about to be removed.
    link.current?.focus()
    const target = { store, id: card.id }
    if (isApproved) approve(target)
    else toggleDismissed(target)
  }
  return (
    <li class="action">
      <a ref={link} href={href(paths.card(store.id, card.id))} dir="auto">
        {shownTitle(card.title)}
      </a>
      <span class="meta" dir="auto">
        {card.dismissed ? texts.item.isDismissed : isUndecided ? texts.item.isNew : card.column}
      </span>
      {isUndecided && mayWriteIn(store) && (
        <span class="row">
          <button
            type="button"
            class="button"
            aria-label={words.approve(card.title)}
            onClick={() => decide(true)}
          >
            <Icon name="check" /> {texts.item.approve}
          </button>
          <button
            type="button"
            class="button"
            aria-label={words.dismiss(card.title)}
            onClick={() => decide(false)}
          >
            <Icon name="close" /> {texts.item.dismiss}
          </button>
        </span>
      )}
    </li>
  )
}

interface TranscriptProps {
  store: ProjectStore
  transcript: TranscriptSummary
  cardIds: readonly string[]
}

function Transcript({ store, transcript, cardIds }: TranscriptProps) {
  const { title, date, participants, summary, actionItems } = transcript
  const cards = cardIds
    .map((id) => store.items.get(id))
    .filter((card) => card !== undefined)
    .sort(byId)
  const actions = actionsOf(actionItems, cards)
  return (
    <li>
      <article class="stack transcript" aria-label={title}>
        <div class="spread">
          <h3 dir="auto">{shownTitle(title)}</h3>
          {mayWriteIn(store) && (
            <Menu
              label={texts.actions(title)}
              items={[
                { label: texts.delete, run: () => removeTranscript(store, transcript), isDanger: true },
              ]}
            >
              <Icon name="more" />
            </Menu>
          )}
        </div>
        <p class="meta" dir="auto">
          <time dateTime={date}>{fullDay(date)}</time>
          {participants.length > 0 && ` · ${participants.join(', ')}`}
        </p>
        {summary !== '' && <MarkdownText text={summary} />}
        {actions.length > 0 && (
          <ul class="actions" aria-label={words.actionsOf(title)}>
            {actions.map((action, index) => (
              <ActionRow key={action.cardId ?? index} store={store} action={action} />
            ))}
          </ul>
        )}
      </article>
    </li>
  )
}

export function Transcripts({ store }: { store: ProjectStore }) {
  const [isAdding, setAdding] = useState(false)
  const list = store.transcripts.list(byDate)
  const cards = list.length === 0 ? new Map<string, string[]>() : cardsBySource(store)
  return (
    <Section
      title={words.transcripts}
      aside={
        mayWriteIn(store) && (
          <button type="button" class="button" onClick={() => setAdding(true)}>
            <Icon name="add" /> {words.addTranscript}
          </button>
        )
      }
    >
      {list.length === 0 && <p class="muted">{words.none}</p>}
      <ul class="lines" aria-label={words.transcripts}>
        {list.map((transcript) => (
          <Transcript
            key={transcript.id}
            store={store}
            transcript={transcript}
            cardIds={cards.get(transcript.id) ?? []}
          />
        ))}
      </ul>
      {isAdding && <TranscriptDialog store={store} onClose={() => setAdding(false)} />}
    </Section>
  )
}
