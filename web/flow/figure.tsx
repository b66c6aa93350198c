/** A chart with its heading, its sentence, its table of numbers, and both as files to download. */
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { later } from '../later-texts.ts'
import type { Frame } from './chart.tsx'
import { saveFile, svgText } from './export-svg.ts'
import { partsOf, plain } from './sentences.ts'
import { csvOf, type Table } from './tables.ts'
import { useWidth } from './use-width.ts'

/** The maximum number of rows on the page. The file has all rows. */
const ROWS = 200
const t = later.flow

interface FigureProps {
  title: string
  /** Numbers are between `**`. */
  sentence: string
  table: Table
  /** The start of the file names. */
  file: string
  height?: number
  /** Whether there is anything to draw. */
  isEmpty: boolean
  chart: (frame: Frame) => ComponentChildren
}

/** The minimum width of a chart before its text gets smaller than that of the page, in pixels. */
const LEAST = 280

/** The scale of a chart of a width in pixels: as the user's size of text compares to the usual one. */
function scaleAt(width: number): number {
  const text = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
  return Math.max(1, Math.min(text, width / LEAST))
}

/** A sentence with its numbers in bold. */
const Sentence = ({ text }: { text: string }) => (
  <>{partsOf(text).map((part, index) => (index % 2 === 1 ? <strong key={index}>{part}</strong> : part))}</>
)

export function Figure({ title, sentence, table, file, height = 280, isEmpty, chart }: FigureProps) {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const scale = scaleAt(width)
  const saveSvg = () => {
    const drawn = box.current?.querySelector('svg')
    if (!drawn || !box.current) return
    const { backgroundColor } = getComputedStyle(box.current)
    saveFile(`${file}.svg`, 'image/svg+xml', svgText(drawn, backgroundColor))
  }
  return (
    <section class="panel flow-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <figure>
        <figcaption dir="auto">
          <Sentence text={sentence} />
        </figcaption>
        <div ref={box} class="flow-chart">
          {!isEmpty &&
            width > 0 &&
            chart({ width: width / scale, height, scale, title, sentence: plain(sentence) })}
        </div>
      </figure>
      {table.rows.length > 0 && (
        <div class="row">
          <details class="flow-numbers">
            <summary>{t.numbers}</summary>
            <Numbers table={table} caption={plain(sentence)} />
          </details>
          {!isEmpty && (
            <button type="button" class="button-link" onClick={saveSvg}>
              {t.saveSvg}
            </button>
          )}
          <button
            type="button"
            class="button-link"
            onClick={() => saveFile(`${file}.csv`, 'text/csv', csvOf(table))}
          >
            {t.saveCsv}
          </button>
        </div>
      )}
    </section>
  )
}

function Numbers({ table: { head, rows }, caption }: { table: Table; caption: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard.
    <section class="flow-table" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                <bdi>{name}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, ROWS).map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column}>
                  <bdi>{cell ?? '–'}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > ROWS && <p class="meta">{t.more(rows.length - ROWS)}</p>}
    </section>
  )
}
