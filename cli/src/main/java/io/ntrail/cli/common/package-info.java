/**
 * Parts that several commands share: the command interface, options, exit codes, losses, listings,
 * places of symbols.
 */
@NullMarked
package io.ntrail.cli.common;

import org.jspecify.annotations.NullMarked;
