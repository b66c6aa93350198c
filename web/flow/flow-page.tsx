/** The flow of a project: one section for each chart, and the filters. */
import type { OpenProject } from '../common/open-project.ts'
import type { ProjectStore } from '../common/project-store.ts'
import { Failed, Loading } from '../common/ui/page.tsx'
import { ProjectPage } from '../common/ui/project-head.tsx'
import { later } from '../later-texts.ts'
import { AgeChart } from './age-chart.tsx'
import type { Flow } from './answer.ts'
import { CycleTimeChart } from './cycle-time-chart.tsx'
import { Figure } from './figure.tsx'
import { FlowFilters } from './filters.tsx'
import { ForecastChart } from './forecast-chart.tsx'
import * as say from './sentences.ts'
import * as tables from './tables.ts'
import { ThroughputChart } from './throughput-chart.tsx'
import { TimeChart, timeChartHeight } from './time-chart.tsx'
import { useFlow } from './use-flow.ts'
import { WorkChart } from './work-chart.tsx'

const t = later.flow

export default function FlowPage({ id }: { id: string }) {
  return (
    <ProjectPage id={id} current="flow" class="flow-page">
      {(project) => <Flowing project={project} />}
    </ProjectPage>
  )
}

function Flowing({ project }: { project: OpenProject }) {
  const { data, error, retry } = useFlow(project)
  return (
    <>
      <FlowFilters store={project.store} />
      {error !== undefined && <Failed error={error} retry={retry} />}
      {data ? <Sections flow={data} store={project.store} /> : error === undefined && <Loading />}
    </>
  )
}

function Sections({ flow, store }: { flow: Flow; store: ProjectStore }) {
  const board = store.columnList
  const columns = tables.columnsOf(
    flow,
    board.map(({ name }) => name),
  )
  const isDoing = (column: string) =>
    (board.find(({ name }) => name === column)?.stage ?? 'doing') === 'doing'
  const count = flow.cycleTime.count
  return (
    <div class="flow-sections">
      <Figure
        title={t.work}
        sentence={say.aboutWork(flow, isDoing)}
        table={tables.workTable(flow, columns)}
        file="cumulative-flow"
        isEmpty={columns.length === 0}
        chart={(frame) => <WorkChart flow={flow} columns={columns} frame={frame} />}
      />
      <Figure
        title={t.cycleTimes}
        sentence={say.aboutCycleTime(flow)}
        table={tables.cycleTimeTable(flow)}
        file="cycle-time"
        isEmpty={count === 0}
        chart={(frame) => <CycleTimeChart flow={flow} projectId={store.id} frame={frame} />}
      />
      <Figure
        title={t.throughputs}
        sentence={say.aboutThroughput(flow)}
        table={tables.throughputTable(flow)}
        file="throughput"
        isEmpty={flow.throughput.mean === 0}
        chart={(frame) => <ThroughputChart flow={flow} frame={frame} />}
      />
      <Figure
        title={t.ages}
        sentence={say.aboutAge(flow)}
        table={tables.ageTable(flow)}
        file="age"
        isEmpty={flow.age.length === 0}
        chart={(frame) => <AgeChart flow={flow} columns={columns} projectId={store.id} frame={frame} />}
      />
      <Figure
        title={t.times}
        sentence={say.aboutTimeInColumn(flow)}
        table={tables.timeInColumnTable(flow)}
        file="time-in-column"
        height={timeChartHeight(flow)}
        isEmpty={flow.timeInColumn.every(({ p50 }) => p50 === null)}
        chart={(frame) => <TimeChart flow={flow} frame={frame} />}
      />
      <Figure
        title={t.forecasts}
        sentence={say.aboutForecast(flow)}
        table={tables.forecastTable(flow)}
        file="forecast"
        height={140}
        isEmpty={!say.hasForecast(flow)}
        chart={(frame) => <ForecastChart flow={flow} frame={frame} />}
      />
    </div>
  )
}
