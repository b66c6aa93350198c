/** Transcripts: the request for a new one, and the cards of its action items. */

import type { IngestTranscript, TranscriptSummary } from '../common/api.ts'
import { textIn } from '../common/forms.ts'

/** The lines of a text, without empty ones. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.replace(/^\s*[-*•]\s+/, '').trim())
    .filter(Boolean)

/** The transcript from the values of a form. Participants are separated by commas or lines, action items by lines. */
export function transcriptOf(projectId: string, fields: Pick<FormData, 'get'>): IngestTranscript {
  const text = (name: string) => textIn(fields, name)
  return {
    projectId,
    title: text('title').trim(),
    date: text('date'),
    summary: text('summary'),
    participants: linesOf(text('participants').replaceAll(/[,;]/g, '\n')),
    actionItems: linesOf(text('actionItems')),
  }
}

/** An action item as text. Other tools may store an object; then its most descriptive field is shown. */
export function actionText(item: TranscriptSummary['actionItems'][number]): string {
  if (typeof item === 'string') return item
  const { title, what, text, who, assignee } = item
  const line = [title, what, text].find((one) => typeof one === 'string' && one !== '')
  const person = [who, assignee].find((one) => typeof one === 'string' && one !== '')
  if (typeof line !== 'string') return JSON.stringify(item)
  return person === undefined ? line : `${line} (${person})`
}

/** An action item and its card. */
export interface Action {
  text: string
  cardId: string | undefined
}

/** The action items with their cards, matched by title. Cards whose title has changed come last, without an item. */
export function actionsOf(
  items: TranscriptSummary['actionItems'],
  cards: readonly { id: string; title: string }[],
): Action[] {
  const left = [...cards]
  const actions: Action[] = items.map((item) => {
    const text = actionText(item)
    const at = left.findIndex(({ title }) => title === text)
    const [card] = at === -1 ? [] : left.splice(at, 1)
    return { text, cardId: card?.id }
  })
  // If as many items lack a card as cards lack an item, the cards were renamed. They are then matched in order.
  const bare = actions.filter(({ cardId }) => cardId === undefined)
  if (bare.length === left.length) {
    for (const [index, action] of bare.entries()) action.cardId = left[index]?.id
    return actions
  }
  return [...actions, ...left.map(({ id, title }) => ({ text: title, cardId: id }))]
}

/** Newest first; on the same day, in the order of creation. */
export const byDate = (a: TranscriptSummary, b: TranscriptSummary): number =>
  a.date === b.date ? (a.id < b.id ? 1 : -1) : a.date < b.date ? 1 : -1
