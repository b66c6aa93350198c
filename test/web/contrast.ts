/** Contrast of colours as the browser shows them (WCAG 2.2). */
import type { Page } from 'playwright-core'

/**
 * The contrast of text on its background, for elements made in the page.
 * @param className of each element
 * @param hues their hues, in degrees
 */
export const contrasts = (page: Page, className: string, hues: readonly number[]): Promise<number[]> =>
  page.evaluate(
    ([name, all]) => {
      const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
      /** The relative luminance of any CSS colour. */
      const luminance = (color: string) => {
        if (!canvas) throw new Error('there is no canvas')
        canvas.fillStyle = color
        canvas.fillRect(0, 0, 1, 1)
        const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
          const part = value / 255
          return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
        })
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
      }
      return all.map((hue) => {
        const element = document.createElement('span')
        element.className = name
        element.style.setProperty('--hue', String(hue))
        document.body.append(element)
        const { color, backgroundColor } = getComputedStyle(element)
        const [a, b] = [luminance(color), luminance(backgroundColor)]
        element.remove()
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
      })
    },
    [className, hues] as const,
  )
