/** {@code ntrail info}: what is in a file. */
@NullMarked
package io.ntrail.cli.info;

import org.jspecify.annotations.NullMarked;
