/**
 * What happens in a function when its frame is left: which language handler it has, and what that
 * will do.
 *
 * <p>Unwind information names a handler only by its address. {@link
 * io.ntrail.programs.handlers.LanguageHandlers} finds out which one that is, and with that what the
 * data behind it mean.
 */
@NullMarked
package io.ntrail.programs.handlers;

import org.jspecify.annotations.NullMarked;
