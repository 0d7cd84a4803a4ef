/**
 * Memory that a traced program shares with ntrail, and the recorder that reads it.
 *
 * <p>A {@link io.ntrail.live.session.SessionFile} is laid out as docs/live.md says: a control
 * block, rings of free areas and chunks, chunks of records. Threads of the target fill chunks; a
 * {@link io.ntrail.live.session.Recorder} takes the records out and gives them to a writer of
 * {@code .ntr}, on a thread of its own if one is started ({@link
 * io.ntrail.live.session.RecorderThread}).
 *
 * <p>The target may be killed at any instruction and may write anything anywhere in the file: the
 * recorder believes only what it wrote itself, checks the rest, and counts and reports impossible
 * values.
 */
@NullMarked
package io.ntrail.live.session;

import org.jspecify.annotations.NullMarked;
