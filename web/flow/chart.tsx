/** The SVG of a chart. It has a name and a description, for screen readers and for its downloaded file. */
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

/** The frame of a chart. Its lengths, and all those in the chart, are in pixels at the usual size of text. */
export interface Frame {
  width: number
  height: number
  /** The factor by which it is shown larger, with its text. */
  scale: number
  title: string
  /** The description. */
  sentence: string
}

interface ChartProps {
  frame: Frame
  /** If it is larger than the frame's. */
  height?: number
  /** Whether the chart contains links. Without links it has the role of an image. */
  hasLinks?: boolean
  children: ComponentChildren
}

export function Chart({ frame, height = frame.height, hasLinks = false, children }: ChartProps) {
  const id = useId()
  return (
    <svg
      width={frame.width * frame.scale}
      height={height * frame.scale}
      viewBox={`0 0 ${frame.width} ${height}`}
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
