/**
 * Language handlers of functions: which handler a function has, and its data.
 *
 * <p>Unwind information has only the address of a handler. {@link
 * io.ntrail.programs.handlers.LanguageHandlers} identifies it, and with that the meaning of the
 * data after it.
 */
@NullMarked
package io.ntrail.programs.handlers;

import org.jspecify.annotations.NullMarked;
