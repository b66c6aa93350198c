/** Exports a chart as a standalone SVG file. The values from the style sheet are written into its elements. */

/** The style properties to copy, named like SVG's presentation attributes. */
const PROPERTIES = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
  'font-weight',
  'text-anchor',
]

/** @param chart the element on the page @param background the colour behind the chart, because the file has no page */
export function svgText(chart: SVGSVGElement, background: string): string {
  const copy = chart.cloneNode(true) as SVGSVGElement
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  const originals = [chart, ...chart.querySelectorAll<SVGElement>('*')]
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')]
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original)
    const made = copies[index]
    for (const property of PROPERTIES) {
      const value = style.getPropertyValue(property)
      if (value) made?.setAttribute(property, value)
    }
    made?.removeAttribute('class')
    made?.removeAttribute('tabindex')
  }
  // Links are removed, because they lead into the page.
  for (const link of copy.querySelectorAll('a')) link.removeAttribute('href')
  const back = document.createElementNS('http://www.w3.org/2000/svg', 'rect')
  back.setAttribute('width', '100%')
  back.setAttribute('height', '100%')
  back.setAttribute('fill', background)
  copy.prepend(back)
  return new XMLSerializer().serializeToString(copy)
}

/** Downloads a text as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
