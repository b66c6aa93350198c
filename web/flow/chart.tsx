/** The drawing of a chart, named and described for those who do not see it, and for whoever opens its file. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** What a chart is drawn in. */
export interface Frame {
  /** In pixels. */
  width: number
  height: number
  title: string
  /** What it says. */
  sentence: string
}

interface ChartProps {
  frame: Frame
  /** In pixels, where it is more than the frame's. */
  height?: number
  /** Whether there are links in it; without, it is one picture. */
  hasLinks?: boolean
  children: ComponentChildren
}

export function Chart({ frame, height = frame.height, hasLinks = false, children }: ChartProps) {
  const id = useId()
  return (
    <svg
      width={frame.width}
      height={height}
      role={hasLinks ? 'group' : 'img'}
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
    >
      <title id={`${id}-title`}>{frame.title}</title>
      <desc id={`${id}-text`}>{frame.sentence}</desc>
      {children}
    </svg>
  )
}
