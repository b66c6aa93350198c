/** Cards as dots that are links. All share one tab stop, and arrow keys move between them by position. */
import { useRef, useState } from 'preact/hooks'
import { href, paths } from '../router.ts'

export interface Point {
  id: string
  /** The accessible name of the link. */
  name: string
  x: number
  y: number
  isMarked?: boolean
}

/** The maximum number of dots. More would be slow and not distinguishable. */
export const MOST_POINTS = 2000

export function Points({ projectId, points }: { projectId: string; points: readonly Point[] }) {
  const group = useRef<SVGGElement>(null)
  const [current, setCurrent] = useState(0)
  const focus = (index: number) => {
    const next = Math.max(0, Math.min(points.length - 1, index))
    setCurrent(next)
    group.current?.querySelectorAll<SVGAElement>('a')[next]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key]
    if (step !== undefined) focus(current + step)
    else if (event.key === 'Home') focus(0)
    else if (event.key === 'End') focus(points.length - 1)
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are of the links in it.
    <g ref={group} class="points" onKeyDown={onKeyDown}>
      {points.map(({ id, name, x, y, isMarked }, index) => (
        <a
          key={id}
          href={href(paths.card(projectId, id))}
          aria-label={name}
          tabindex={index === Math.min(current, points.length - 1) ? 0 : -1}
          onFocus={() => setCurrent(index)}
        >
          <title>{name}</title>
          <circle cx={x} cy={y} r={isMarked ? 5 : 4} class={isMarked ? 'point marked' : 'point'} />
        </a>
      ))}
    </g>
  )
}
