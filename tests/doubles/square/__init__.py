"""A little chat platform on the wire, with rooms, threads, spaces, roles, bots and buttons."""

from tests.doubles.square.people import Message, Person, Place
from tests.doubles.square.server import Square

__all__ = ["Message", "Person", "Place", "Square"]
