/** The history of the card, newest first, with undo. */
import { useEffect, useMemo } from 'preact/hooks'
import { makerFirst } from '../common/actors.ts'
import type { Change } from '../common/api.ts'
import { ago, atMoment, fullDue } from '../common/dates.ts'
import { personName } from '../common/people.ts'
import { isAdmin, me } from '../common/session.ts'
import { undo } from '../common/toasts.ts'
import { Failed, Loading } from '../common/ui/page.tsx'
import { type Sentence, texts } from '../texts.ts'
import { CardHistory } from './card-history.ts'
import { type HistoryEntry, historyOf } from './history.ts'
import type { OpenCard } from './open-card.ts'

const words = texts.card

const plain = (sentence: Sentence): string =>
  sentence.map((piece) => (typeof piece === 'string' ? piece : piece.value)).join('')

const SentenceView = ({ sentence }: { sentence: Sentence }) => (
  <>
    {/* Values are isolated, so that right-to-left text does not reorder the sentence. */}
    {sentence.map((piece) =>
      typeof piece === 'string' ? piece : <bdi key={piece.value}>{piece.value}</bdi>,
    )}
  </>
)

function EntryView({ entry, canEdit }: { entry: HistoryEntry; canEdit: boolean }) {
  const { at, sentences, seq } = entry
  return (
    <li class="card-entry">
      <div>
        <bdi>{makerFirst(entry)}</bdi>{' '}
        {sentences.map((sentence, index) => (
          <span key={plain(sentence)}>
            {index > 0 && ', '}
            <SentenceView sentence={sentence} />
          </span>
        ))}{' '}
        <time class="meta" dateTime={at} title={atMoment(at)}>
          {ago(at)}
        </time>
      </div>
      {canEdit && seq !== undefined && (
        <button
          type="button"
          class="button-link"
          aria-label={words.undoEntry(sentences.map(plain).join(', '))}
          onClick={() => void undo(seq)}
        >
          {texts.undo}
        </button>
      )}
    </li>
  )
}

/** @param canEdit whether the user can undo entries */
export function HistoryList({ card, canEdit }: { card: OpenCard; canEdit: boolean }) {
  const history = useMemo(() => new CardHistory(card.id), [card])
  useEffect(() => history.start(), [history])
  const sources = history.sources.value
  const failure = history.failure.value
  useEffect(() => {
    const isMade = ({ kind, action }: Change) => kind === 'kanban-item' && action === 'created'
    if (sources) card.maker.value = sources.changes.findLast(isMade) ?? null
  }, [card, sources])
  const { labelList } = card.store
  const entries =
    sources &&
    historyOf(
      sources,
      {
        member: personName,
        label: (id) => labelList.find((label) => label.id === id)?.name,
        day: fullDue,
      },
      { id: me.value?.id, isAdmin: isAdmin.value },
    )
  return (
    <section class="card-part" aria-labelledby="card-history">
      <h3 id="card-history">{texts.history}</h3>
      {failure !== undefined && <Failed isPart error={failure} retry={() => void history.load()} />}
      {entries === undefined && failure === undefined && <Loading />}
      <ul aria-labelledby="card-history">
        {entries?.map((entry) => (
          <EntryView key={entry.key} entry={entry} canEdit={canEdit} />
        ))}
      </ul>
      {sources && !sources.isComplete && (
        <button type="button" class="button" onClick={() => void history.more()}>
          {texts.showMore}
        </button>
      )}
    </section>
  )
}
