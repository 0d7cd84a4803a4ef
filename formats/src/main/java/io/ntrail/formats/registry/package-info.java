/** Files of registry keys and values (.reg), as regedit and {@code reg import} read them. */
@NullMarked
package io.ntrail.formats.registry;

import org.jspecify.annotations.NullMarked;
