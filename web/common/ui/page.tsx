/** What all pages have: a title, a heading that takes the focus, and what is shown while or when there is nothing to show. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { go } from '../../router.ts'
import { texts } from '../../texts.ts'
import { messageOf } from '../api.ts'

/** After so many milliseconds loading is shown, and after so many said. */
const SHOWN_AFTER = 200
const SAID_AFTER = 5000

/** The title of the page, and that of the dialog above it if there is one. */
const titles = { page: '', dialog: '' }

function showTitle(changes: Partial<typeof titles>): void {
  Object.assign(titles, changes)
  document.title = titles.dialog || titles.page
}

/** Gives the document the title of a page. */
function useTitle(...parts: readonly string[]): void {
  const page = texts.documentTitle(...parts)
  useEffect(() => showTitle({ page }), [page])
}

/** Gives the document the title of a dialog that has an address, as long as that is open. */
export function useDialogTitle(...parts: readonly string[]): void {
  const dialog = texts.documentTitle(...parts)
  useEffect(() => {
    showTitle({ dialog })
    return () => showTitle({ dialog: '' })
  }, [dialog])
}

let hasArrived = false

interface PageProps {
  /** The page's one `h1`. */
  title: string
  /** Beside the heading. */
  aside?: ComponentChildren
  children: ComponentChildren
  class?: string
  /** Whether the heading is only for screen readers. */
  isTitleHidden?: boolean
}

/** A page: its title goes into the document's, and its heading takes the focus when the user comes from another page. */
export function Page({ title, aside, children, class: className = '', isTitleHidden = false }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  useEffect(() => {
    // Not on the first page of a tab: the browser begins at its top.
    if (hasArrived) heading.current?.focus({ preventScroll: true })
    hasArrived = true
  }, [])
  return (
    <main id="main" class={`page ${className}`}>
      <div class={isTitleHidden ? 'visually-hidden' : 'page-head'}>
        <h1 ref={heading} tabIndex={-1} dir="auto">
          {title}
        </h1>
        {!isTitleHidden && aside}
      </div>
      {children}
    </main>
  )
}

/** What is shown while something loads: nothing for a moment, then a skeleton, then a word. */
export function Loading() {
  const [step, setStep] = useState<'quiet' | 'shown' | 'said'>('quiet')
  useEffect(() => {
    const timers = [
      setTimeout(() => setStep('shown'), SHOWN_AFTER),
      setTimeout(() => setStep('said'), SAID_AFTER),
    ]
    return () => timers.forEach(clearTimeout)
  }, [])
  if (step === 'quiet') return <div aria-busy="true" />
  return (
    <div class="loading" aria-busy="true">
      <p role="status">{step === 'said' ? texts.stillLoading : texts.loading}</p>
      <div class="skeleton" />
      <div class="skeleton" />
      <div class="skeleton" />
    </div>
  )
}

/** What is shown while it is not known yet which page it will be. */
export const LoadingPage = () => (
  <main id="main" class="page">
    <h1 class="visually-hidden">{texts.name}</h1>
    <Loading />
  </main>
)

/** What is shown instead of a page that could not be read. */
export const Failed = ({ error, retry }: { error: unknown; retry: () => void }) => (
  <div class="notice" role="alert">
    <p>{texts.notLoaded}</p>
    <p class="muted" dir="auto">
      {messageOf(error)}
    </p>
    <button type="button" class="button" onClick={retry}>
      {texts.tryAgain}
    </button>
  </div>
)

/** What is shown instead of something that does not exist, with the way on. */
export const Missing = ({ text }: { text: string }) => (
  <div class="notice">
    <p>{text}</p>
    <button type="button" class="button" onClick={() => go('/')}>
      {texts.toProjects}
    </button>
  </div>
)
