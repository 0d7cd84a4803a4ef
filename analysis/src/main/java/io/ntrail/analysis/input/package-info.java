/**
 * The one way in: opens whatever was named and gives the one recording that it holds.
 *
 * <p>{@link io.ntrail.analysis.input.RecordingInput} takes the files of a question and the {@link
 * io.ntrail.analysis.model.Ability abilities} that the question needs. A file may be packed; its
 * bytes show its kind ({@link io.ntrail.analysis.input.FileKind}) and never its name. Names only
 * choose among the members of an archive, and speak for a file that is empty. Then there is either
 * a {@link io.ntrail.analysis.model.Recording}, or a refusal ({@link
 * io.ntrail.formats.bytes.CannotGoOn}, with its reason) that says what the file is and which
 * command is for it.
 *
 * <p>A new kind of recording is a source that implements {@code analysis.model}, its constant in
 * {@link io.ntrail.analysis.model.RecordingKind} and {@code FileKind}, the names of its files in
 * {@code Members}, and its line in {@code RecordingInput.open}.
 */
@NullMarked
package io.ntrail.analysis.input;

import org.jspecify.annotations.NullMarked;
