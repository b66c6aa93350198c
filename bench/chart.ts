/** The chart: every workload on every server, relative to node:http. */
import { BarChart, ScatterChart } from 'echarts/charts'
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { SVGRenderer } from 'echarts/renderers'
import { showRatio } from './format.ts'
import type { Row } from './measure.ts'
import type { ServerName } from './servers.ts'
import { WORKLOADS, type Workload } from './workloads.ts'

use([BarChart, ScatterChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer])

/** From top to bottom. Goals are marked in the middle, at the service's bar. */
const BARS = { 'bare Fastify': '#8c959f', Phaseboard: '#1d6fdc', naive: '#d97706' }
const WIDTH = 900
const HEIGHT_OF_WORKLOAD = 62

/**
 * Draws the ratios of all workloads, with the goals.
 * @param workloads by title
 * @returns an SVG document with its own background, so that it is readable on any page
 */
export function renderChart(workloads: ReadonlyMap<string, Row>): string {
  const titles = [...workloads.keys()]
  const goals = new Map(Object.values<Workload>(WORKLOADS).map(({ title, goal }) => [title, goal]))
  const chart = init(null, null, {
    renderer: 'svg',
    ssr: true,
    width: WIDTH,
    height: 130 + titles.length * HEIGHT_OF_WORKLOAD,
  })
  const text = { color: '#1f2328', fontFamily: 'system-ui, sans-serif', fontSize: 13 }
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: text,
    title: {
      text: 'Requests per second, to node:http sending ready bytes',
      left: 16,
      top: 12,
      textStyle: { ...text, fontSize: 16 },
    },
    legend: { left: 16, top: 40, itemGap: 24, textStyle: text, selectedMode: false },
    grid: {
      left: 16,
      right: 48,
      top: 80,
      bottom: 16,
      outerBounds: { left: 16, right: 48, top: 80, bottom: 16 },
    },
    xAxis: {
      type: 'value',
      axisLabel: text,
      splitLine: { lineStyle: { color: '#d0d7de' } },
    },
    yAxis: {
      type: 'category',
      data: titles,
      inverse: true,
      axisLabel: text,
      axisTick: { show: false },
      axisLine: { show: false },
    },
    series: [
      ...Object.entries(BARS).map(([name, color]) => ({
        type: 'bar' as const,
        name,
        itemStyle: { color },
        label: {
          show: true,
          position: 'right' as const,
          ...text,
          formatter: ({ value }: { value: unknown }) => showRatio(Number(value)),
        },
        data: titles.map((title) => workloads.get(title)?.get(name as ServerName)?.ratio ?? '-'),
      })),
      {
        type: 'scatter' as const,
        name: 'goal',
        symbol: 'diamond',
        symbolSize: 11,
        z: 3,
        itemStyle: { opacity: 1, color: '#cf222e', borderColor: '#ffffff', borderWidth: 1 },
        data: titles.map((title) => [goals.get(title) ?? '-', title]),
      },
    ],
  })
  const svg = chart.renderToSVGString()
  chart.dispose()
  return svg
}
