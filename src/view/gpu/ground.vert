// A large square on the ground.

uniform mat4 viewProjection;
uniform vec3 center;
uniform float halfSize;

out vec2 place;

void main()
{
    // Two triangles without a buffer: corners 0 1 2, 2 1 3.
    int corner = gl_VertexID < 3 ? gl_VertexID : gl_VertexID == 3 ? 2 : gl_VertexID == 4 ? 1 : 3;
    vec2 side = vec2((corner & 1) == 0 ? -1.0 : 1.0, (corner & 2) == 0 ? -1.0 : 1.0);
    place = side * halfSize;
    gl_Position = viewProjection * vec4(center + vec3(place.x, 0.0, place.y), 1.0);
}
