/** A page that is loaded lazily, when it is first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { Loading, LoadingPage } from './page.tsx'

/** Shown if the service no longer has a script of the page because it was updated after the tab was opened. Nothing reloads by itself. */
export const Updated = () => (
  <div class="notice" role="alert">
    <p>{texts.updated}</p>
    <button type="button" class="button" onClick={() => location.reload()}>
      {texts.reload}
    </button>
  </div>
)

/**
 * Makes a component that is imported lazily.
 * @param load imports it
 * @param Waiting is shown until it is loaded
 */
export function late<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Waiting: ComponentType = () => <Loading />,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Late(props: Props) {
    const [Component, setComponent] = useState<{ it: ComponentType<Props> } | 'failed' | undefined>(
      loaded && { it: loaded },
    )
    useEffect(() => {
      if (loaded) return
      load().then(
        ({ default: it }) => {
          loaded = it
          setComponent({ it })
        },
        () => setComponent('failed'),
      )
    }, [])
    if (Component === undefined) return <Waiting />
    if (Component === 'failed') return <Updated />
    return <Component.it {...props} />
  }
}

/** The same, for a whole page. */
export const latePage = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> => late(load, LoadingPage)
