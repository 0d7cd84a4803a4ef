/**
 * Files of symbol stores on servers. The only place of ntrail that uses the network: GET requests,
 * to the servers that the user named and to their redirection targets.
 */
@NullMarked
package io.ntrail.programs.symbols.http;

import org.jspecify.annotations.NullMarked;
