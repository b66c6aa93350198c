/** A page that is loaded lazily, when it is first shown. */
import { type ComponentType, Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { texts } from '../../texts.ts'
import { onConnected } from '../live.ts'
import { loadPart, type NoPart } from '../part.ts'
import { reload } from '../writes.ts'
import { Loading, LoadingPage, UnknownPage } from './page.tsx'

/**
 * Shown instead of a part of the page that could not be loaded. If the service no longer has its script, because it was updated
 * after the tab was opened, the user reloads; nothing reloads by itself. Otherwise it is loaded again with the next connection.
 */
export function NotLoaded({ why, retry }: { why: NoPart; retry: () => void }) {
  useEffect(() => {
    if (why === 'updated') return
    addEventListener('online', retry)
    const stop = onConnected(retry)
    return () => {
      stop()
      removeEventListener('online', retry)
    }
  }, [why])
  const isUpdated = why === 'updated'
  return (
    <div class="notice" role="alert">
      <p>{isUpdated ? texts.updated : texts.partNotLoaded}</p>
      <button type="button" class="button" onClick={isUpdated ? reload : retry}>
        {isUpdated ? texts.reload : texts.tryAgain}
      </button>
    </div>
  )
}

/**
 * Makes a component that is imported lazily.
 * @param load imports it
 * @param Waiting is shown until it is loaded
 * @param Frame is around the message if it could not be loaded
 */
export function late<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
  Waiting: ComponentType = () => <Loading />,
  Frame: typeof UnknownPage | typeof Fragment = Fragment,
): ComponentType<Props> {
  let loaded: { default: ComponentType<Props> } | undefined
  return function Late(props: Props) {
    const [part, setPart] = useState<{ default: ComponentType<Props> } | NoPart | undefined>(loaded)
    const begin = () => {
      void loadPart(load).then((found) => {
        if (typeof found === 'object') loaded = found
        setPart(found)
      })
    }
    useEffect(() => {
      if (!loaded) begin()
    }, [])
    if (part === undefined) return <Waiting />
    if (typeof part === 'string') {
      return (
        <Frame>
          <NotLoaded why={part} retry={begin} />
        </Frame>
      )
    }
    return <part.default {...props} />
  }
}

/** The same, for a whole page. */
export const latePage = <Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> => late(load, LoadingPage, UnknownPage)
