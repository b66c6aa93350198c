/** The relations of the tables, for Drizzle's relational queries. */
import { relations } from 'drizzle-orm'
import {
  kanbanItemLabels,
  kanbanItems,
  kanbanLabels,
  kanbanSubtasks,
  metrics,
  objectives,
  projects,
  teamAssignments,
  transcriptSummaries,
} from '../../src/db/schema.ts'

export const projectRelations = relations(projects, ({ many }) => ({
  kanbanItems: many(kanbanItems),
  transcriptSummaries: many(transcriptSummaries),
  metrics: many(metrics),
  objectives: many(objectives),
  teamAssignments: many(teamAssignments),
}))

export const kanbanItemRelations = relations(kanbanItems, ({ one, many }) => ({
  project: one(projects, { fields: [kanbanItems.projectId], references: [projects.id] }),
  labels: many(kanbanItemLabels),
  subtasks: many(kanbanSubtasks),
}))

export const kanbanItemLabelRelations = relations(kanbanItemLabels, ({ one }) => ({
  item: one(kanbanItems, { fields: [kanbanItemLabels.itemId], references: [kanbanItems.id] }),
  label: one(kanbanLabels, { fields: [kanbanItemLabels.labelId], references: [kanbanLabels.id] }),
}))

export const kanbanSubtaskRelations = relations(kanbanSubtasks, ({ one }) => ({
  item: one(kanbanItems, { fields: [kanbanSubtasks.itemId], references: [kanbanItems.id] }),
}))

export const transcriptSummaryRelations = relations(transcriptSummaries, ({ one }) => ({
  project: one(projects, { fields: [transcriptSummaries.projectId], references: [projects.id] }),
}))

export const metricRelations = relations(metrics, ({ one }) => ({
  project: one(projects, { fields: [metrics.projectId], references: [projects.id] }),
}))

export const objectiveRelations = relations(objectives, ({ one }) => ({
  project: one(projects, { fields: [objectives.projectId], references: [projects.id] }),
}))

export const teamAssignmentRelations = relations(teamAssignments, ({ one }) => ({
  project: one(projects, { fields: [teamAssignments.projectId], references: [projects.id] }),
}))
