/** Identities that several formats must agree on, and tables of well-known names. */
@NullMarked
package io.ntrail.formats.identity;

import org.jspecify.annotations.NullMarked;
