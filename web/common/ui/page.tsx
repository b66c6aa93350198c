/** The common parts of all pages: the title, a heading that takes the focus, and the loading, error and empty states. */
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { go } from '../../router.ts'
import { texts } from '../../texts.ts'
import { messageOf } from '../api.ts'
import { onConnected } from '../live.ts'
import { unread } from '../unread.ts'

/** The delays in milliseconds before loading is shown, and before it is announced. */
const SHOWN_AFTER = 200
const ANNOUNCED_AFTER = 5000

/** The title of the page, and of the dialog above it, if there is one. */
const titles = { page: texts.name, dialog: '' }

function showTitle(changes: Partial<typeof titles>): void {
  Object.assign(titles, changes)
  document.title = (unread.value ? `(${unread.value}) ` : '') + (titles.dialog || titles.page)
}

unread.subscribe(() => showTitle({}))

/** Sets the document's title to the page's, before the page is painted. */
function useTitle(...parts: readonly string[]): void {
  const page = texts.documentTitle(...parts)
  useLayoutEffect(() => showTitle({ page }), [page])
}

/** Sets the document's title to that of a dialog with its own address, while it is open. */
export function useDialogTitle(...parts: readonly string[]): void {
  const dialog = texts.documentTitle(...parts)
  useLayoutEffect(() => {
    showTitle({ dialog })
    return () => showTitle({ dialog: '' })
  }, [dialog])
}

let hasArrived = false

interface PageProps {
  /** The `h1` of the page. */
  title: string
  /** Beside the heading. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** Whether the heading is only for screen readers. */
  isTitleHidden?: boolean
  /** The hue of the page's project or person, in degrees. */
  hue?: number
}

/** A page. It sets the document's title, and its heading takes the focus when the user comes from another page. */
export function Page({
  title,
  aside,
  children,
  class: className = '',
  isTitleHidden = false,
  hue,
}: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => {
    // Not for the first page of a tab, where the browser starts at the top.
    if (hasArrived) heading.current?.focus({ preventScroll: true })
    hasArrived = true
  }, [])
  return (
    <main id="main" class={`page ${className}`}>
      <div
        class={isTitleHidden ? 'visually-hidden' : `page-head${hue === undefined ? '' : ' has-hue'}`}
        style={hue === undefined ? undefined : { '--hue': hue }}
      >
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {!isTitleHidden && aside}
      </div>
      {children}
    </main>
  )
}

/** The shape of a skeleton: rows, or the columns of a board. */
export type LoadingShape = 'rows' | 'columns' | undefined

/** The numbers of cards in the columns of a skeleton. */
const COLUMNS = [4, 3, 2, 3] as const

/** The loading state: nothing at first, then a skeleton, then an announcement. */
export function Loading({ shape = 'rows' }: { shape?: LoadingShape }) {
  const [step, setStep] = useState<'quiet' | 'shown' | 'announced'>('quiet')
  useEffect(() => {
    const timers = [
      setTimeout(() => setStep('shown'), SHOWN_AFTER),
      setTimeout(() => setStep('announced'), ANNOUNCED_AFTER),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  if (step === 'quiet') return <div aria-busy="true" />
  return (
    <div class="loading" aria-busy="true">
      <p role="status">{step === 'announced' ? texts.stillLoading : texts.loading}</p>
      {shape === 'columns' ? (
        <div class="skeleton-columns" aria-hidden="true">
          {COLUMNS.map((cards, index) => (
            <div key={index} class="column">
              {Array.from({ length: cards }, (_, card) => (
                <div key={card} class="skeleton" />
              ))}
            </div>
          ))}
        </div>
      ) : (
        <>
          <div class="skeleton" />
          <div class="skeleton" />
          <div class="skeleton" />
        </>
      )}
    </div>
  )
}

/** The frame of a page that is not known or not loaded yet. */
export const UnknownPage = ({ children }: { children: ComponentChildren }) => (
  <main id="main" class="page">
    <h1 class="visually-hidden">{texts.name}</h1>
    {children}
  </main>
)

/** Shown until it is known which page comes. */
export const LoadingPage = () => (
  <UnknownPage>
    <Loading />
  </UnknownPage>
)

interface FailedProps {
  error: unknown
  retry: () => void
  /** Whether only a section of the page is not loaded. The message is then no larger than the section. */
  isPart?: boolean
}

/** Shown if a page or a section could not be loaded. It is loaded again with the next connection. */
export function Failed({ error, retry, isPart = false }: FailedProps) {
  const latest = useRef(retry)
  latest.current = retry
  useEffect(() => onConnected(() => latest.current()), [])
  return (
    <div class={isPart ? 'notice notice-part' : 'notice'} role="alert">
      <p>{isPart ? texts.partFailed(messageOf(error)) : texts.notLoaded}</p>
      {!isPart && (
        <p class="muted" dir="auto">
          {messageOf(error)}
        </p>
      )}
      <button type="button" class={isPart ? 'button-link' : 'button'} onClick={retry}>
        {texts.tryAgain}
      </button>
    </div>
  )
}

interface MissingProps {
  text: string
  /** Whether it existed when the page was opened. Screen readers then announce the message. */
  isNews?: boolean
}

/** Shown for something that does not exist, with a link to go on. */
export const Missing = ({ text, isNews = false }: MissingProps) => (
  <div class="notice" role={isNews ? 'alert' : undefined}>
    <p>{text}</p>
    <button type="button" class="button" onClick={() => go('/')}>
      {texts.toProjects}
    </button>
  </div>
)
