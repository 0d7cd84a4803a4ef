/**
 * The model of a recording, whatever its format.
 *
 * <p>A {@link io.ntrail.analysis.model.Recording} is made of one or several files and is of one
 * {@link io.ntrail.analysis.model.RecordingKind kind}. Of each there are the names of its files,
 * its {@link io.ntrail.formats.bytes.Gap gaps} (bytes that could not be read) and the {@link
 * io.ntrail.analysis.model.RecorderLosses losses} that its recorder counted. All else is an {@link
 * io.ntrail.analysis.model.Ability ability}, which some kinds have and others do not: events,
 * weighted stacks, calls, threads, memory. A query requests the ability it needs and not a kind of
 * file:
 *
 * <pre>
 * try (RecordingInput input = RecordingInput.of(paths, Ability.EVENTS);
 *     Recording recording = input.open()) {
 *   RecordedEvents events = recording.ability(RecordedEvents.class).orElseThrow();
 *   ...
 * }
 * </pre>
 *
 * <p>Sources implement this package: {@code analysis.etw.recording} ({@code .etl}), {@code
 * analysis.calls} ({@code .ntr}, {@code .jtrc}), {@code analysis.collapsed} (text). Dumps and
 * Processor Trace have their constants already; what a dump answers about its memory is an {@link
 * io.ntrail.programs.memory.AddressSpace}. {@code analysis.input} opens files and finds the source
 * for them.
 */
@NullMarked
package io.ntrail.analysis.model;

import org.jspecify.annotations.NullMarked;
