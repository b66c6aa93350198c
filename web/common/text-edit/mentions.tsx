/** Suggestions of members while their handle or name is typed after an @ in a text. */
import { fold } from '../../../src/folding.ts'
import { later } from '../../later-texts.ts'
import { api } from '../api.ts'
import { onChange, onReset } from '../live.ts'
import { me, read } from '../session.ts'
import { Suggestions, type Typing } from '../ui/suggestions.tsx'

const words = later.attention

/** The maximum number of suggestions. */
const MOST = 8

interface Mentionable {
  /** The handle, which is unique. */
  id: string
  name: string
}

/** All members that can be mentioned, kept until one changes. */
let all: Promise<readonly Mentionable[]> | undefined
let isFollowing = false

async function load(): Promise<readonly Mentionable[]> {
  const members = await read(() => api.get('/api/members'))
  return members.flatMap(({ handle, name, disabled, id }) =>
    handle === null || disabled || id === me.peek()?.id ? [] : [{ id: handle, name }],
  )
}

function membersNow(): Promise<readonly Mentionable[]> {
  if (!isFollowing) {
    isFollowing = true
    const forget = () => {
      all = undefined
    }
    onChange(({ kind }) => kind === 'member' && forget())
    onReset(forget)
  }
  all ??= load().catch((error) => {
    all = undefined
    throw error
  })
  return all
}

/** Those whose handle or a word of whose name begins with a text, by handle. */
async function mentionable(typed: string): Promise<readonly Mentionable[]> {
  const wanted = fold(typed)
  const begins = (text: string) => fold(text).startsWith(wanted)
  return (await membersNow())
    .filter(({ id, name }) => begins(id) || name.split(/\s+/).some(begins))
    .toSorted((a, b) => Number(begins(b.id)) - Number(begins(a.id)) || (a.id < b.id ? -1 : 1))
    .slice(0, MOST)
}

/** The handle that is being typed. In code, addresses and after a backslash it is no mention; only code is not seen here. */
function mentionAt(text: string, caret: number): Typing | undefined {
  const line = text.slice(Math.max(0, caret - 40), caret)
  const typed = /(?<![\p{L}\p{N}\p{M}._%+\-@/\\])@([\p{L}\p{N}._-]*)$/u.exec(line)?.[1]
  if (typed === undefined || /[\p{L}\p{N}_@-]/u.test(text[caret] ?? '')) return undefined
  return { kind: 'member', start: caret - typed.length - 1, typed }
}

interface MentionsProps {
  text: string
  field: { current: HTMLTextAreaElement | null }
}

export const Mentions = ({ text, field }: MentionsProps) => (
  <Suggestions
    text={text}
    field={field}
    typingAt={mentionAt}
    find={({ typed }) =>
      () =>
        mentionable(typed)
      }
    insertOf={({ id }) => id}
    shownOf={({ id, name }) => words.handleOf(name, id)}
    label={() => words.people}
    countText={words.suggestions}
  />
)
